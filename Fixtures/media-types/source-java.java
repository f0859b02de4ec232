package demo;

import java.util.List;

public class Hello {
    public static void main(String[] args) {
        for (String s : List.of("Hello", "world")) System.out.println(s);
    }
}
