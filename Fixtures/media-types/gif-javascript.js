GIF89a=1;/*
*/alert("both");
